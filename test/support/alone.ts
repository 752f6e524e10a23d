/** Import it first: makes a program that is not run by Vitest a run of its own, which ends with the program. */
import { tmpdir } from 'node:os'
import { enterRun, openRun } from './run.js'

const { folder } = openRun(tmpdir())
enterRun(folder, folder)
