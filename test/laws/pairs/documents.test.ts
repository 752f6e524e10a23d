import { holdPairs } from './law.js'
import { shapes } from './shapes.js'

holdPairs(shapes.filter(({ writes, answer }) => writes !== true && answer !== 'records'))
