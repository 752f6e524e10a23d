/** Examples that help shows: they run as they stand against the sample data. */
import type { Examples } from '../endpoint.js'

export const geo: Examples = {
  'nodes create': [
    'geo nodes create --name east --url https://east.example.test/',
    'geo nodes create --name west --url https://west.example.test/ --no-enabled',
  ],
  'nodes list': ['geo nodes list', 'geo nodes list -o json --fields id,name,enabled'],
  'nodes get': ['geo nodes get 2', 'geo nodes get 1 2 -o yaml'],
  'nodes delete': ['geo nodes delete 2 --yes', 'geo nodes delete 2 --yes --curl'],
  'nodes repair': ['geo nodes repair 2', 'geo nodes repair 2 -o json'],
}
