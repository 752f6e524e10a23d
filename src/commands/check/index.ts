/** `check …`: one line for monitoring, with an exit code that its reader knows. */
import { certificatesCheck } from './certificates.js'
import { checkCommand } from './command.js'
import { geoCheck } from './geo.js'
import { instanceCheck } from './instance.js'
import { runnersCheck } from './runners.js'
import { tokensCheck } from './tokens.js'

export const instance = checkCommand(instanceCheck)
export const runners = checkCommand(runnersCheck)
export const geo = checkCommand(geoCheck)
export const certificates = checkCommand(certificatesCheck)
export const tokens = checkCommand(tokensCheck)
