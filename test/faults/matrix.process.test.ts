import { expect, it } from 'vitest'
import { listProblems, runMatrix } from './matrix.js'

it('comes to what the matrix says, in every cell', async () => {
  expect(listProblems(await runMatrix())).toEqual([])
}, 240_000)
