/** The first line of the journals of these tests. */
import type { Header } from '../../../src/engine/journal/lines.js'

export const header: Header = {
  journal: 1,
  id: '20261121T120102-runners-pause',
  command: 'runners pause',
  endpoint: 'PUT /runners/:id',
  values: { active: false },
  instance: 'https://code.example',
  profile: 'prod',
  user: 'ana',
  sudo: null,
  source: 'stdin',
  version: '1.2.3',
}
