/** The first line of the journals of these tests. */
import type { Header } from '../../../src/engine/journal/lines.js'

export const header: Header = {
  run: 1,
  id: '20261121T120102-runners-pause',
  began: '2026-11-21T12:01:02.000Z',
  command: 'runners pause',
  endpoint: 'PUT /runners/:id',
  input: { active: false },
  instance: 'https://code.example',
  profile: 'prod',
  user: 'ana',
  sudo: null,
  source: 'stdin',
  version: '1.2.3',
}
