import { holdPairs } from './law.js'
import { shapes } from './shapes.js'

holdPairs(shapes.filter(({ writes, waits }) => writes === true && waits !== true))
