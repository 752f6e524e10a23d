/** The lines under `lines/`: each file is a group. */
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { readGroup } from './entries.js'
import { holdRecord } from './record.js'

const folder = join(import.meta.dirname, 'lines')

holdRecord(readdirSync(folder).map((file) => readGroup(join(folder, file))))
