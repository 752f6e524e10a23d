/** Deploy keys. */
import type { State } from '../../state/state.js'
import { ago } from '../origin.js'

const keys = [
  {
    title: 'deploy',
    key: [
      'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIBn+FFRajqwAUyDuJYTgOB9AErkVoXRxLDIrC2J+Cnnw',
      ' deploy@example.test',
    ].join(''),
    user_id: 3,
    projects: [
      { project_id: 1, can_push: true },
      { project_id: 5, can_push: false },
    ],
  },
  {
    title: 'mirror',
    key: [
      'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIIHqF2ZdEGnMd4PXlSydmpuiIwAqLh10A33AFJqhswtZ',
      ' mirror@example.test',
    ].join(''),
    user_id: 2,
    projects: [{ project_id: 2, can_push: false }],
  },
  {
    title: 'old',
    key: [
      'ssh-rsa AAAAB3NzaC1yc2EAAAADAQABAAABAQC+sU5q3LXrHqmq+K9rp7IvWrvs8itA6sqzBQWeRPpd',
      'MOnCs94+H+iu+yZu3k1P0Ao+WXnQNCWD4j5pwciq6RGpvvlsxR7j2FlGkVmjM71J+Fr7ETALylga0I2S',
      '1i0pefgEd7NzeZg+Ex7KfExOD/6oYgSlP65T+FEEfvE8PeBBtmSHby7GJhX/Lg/g0toHtTTN4xIVWXTE',
      'Ret6gY55mI6QOm0OX96CJG5npsq3vMzTtl0rrOUesf36HYJopFfdw2QVlALmP++ZwlqkyeF9uvUeQpT2',
      '3Ig3uqnxVlxZTEt0z8ybyX2LYMrnIqJFG99zZV6S5/DazEWz1Fliheneft/5 old@example.test',
    ].join(''),
    user_id: 3,
    projects: [{ project_id: 7, can_push: false }],
  },
]

export const seedDeployKeys = (state: State): void => {
  for (const [index, key] of keys.entries())
    state.deployKeys.add({ ...structuredClone(key), created_at: ago(200 - index * 50) })
}
