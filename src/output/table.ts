/**
 * The table. On a terminal: aligned columns cut to its width, or one object in two columns; ages,
 * words and symbols for people. Elsewhere: tab-separated whole values for programs.
 */
import { detail } from './table/detail.js'
import { list } from './table/list.js'
import { plainDetail, plainList } from './table/plain.js'
import type { Open } from './types.js'

export const open: Open = (sink, view) => {
  if (view.terminal) return (view.many ? list : detail)(sink, view)
  return (view.many ? plainList : plainDetail)(sink, view)
}
