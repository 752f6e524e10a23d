import { expect, it } from 'vitest'
import { complaintsOf, runMatrix } from './matrix.js'

it('comes to what the matrix says, in every cell', async () => {
  expect(complaintsOf(await runMatrix())).toEqual([])
}, 240_000)
