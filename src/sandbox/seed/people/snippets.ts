/** Snippets, of a project and of a person. */
import type { State } from '../../state/state.js'

export const seedSnippets = (state: State): void => {
  state.snippets.add({ project_id: 1, author_id: 4, title: 'Start by hand', storage: 'default' })
  state.snippets.add({ project_id: null, author_id: 2, title: 'A shell loop', storage: 'second' })
}
