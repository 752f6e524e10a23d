/** Examples that help shows: they run as they stand against the sample data. */
import type { Examples } from '../endpoint.js'

export const projects: Examples = {
  list: [
    'projects list --membership --order-by name --sort asc',
    'projects list --visibility public --simple -o ndjson',
    'projects list --user ana',
  ],
  get: ['projects get platform/app', 'projects get 1 6 --fields id,path_with_namespace,visibility'],
}
