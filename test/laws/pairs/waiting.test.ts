import { holdPairs } from './law.js'
import { shapes } from './shapes.js'

holdPairs(shapes.filter(({ waits }) => waits === true))
