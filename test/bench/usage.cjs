// Preloaded into a measured program: leaves what it used in the file that BENCH_USAGE names.
'use strict'

const { readFileSync, writeFileSync } = require('node:fs')

/** On Linux `maxRSS` begins with what the program that started this one had. */
const peak = () => {
  if (process.platform !== 'linux') return process.resourceUsage().maxRSS / 1024
  return Number(/VmHWM:\s+(\d+)/.exec(readFileSync('/proc/self/status', 'utf8'))[1]) / 1024
}

process.once('exit', () => {
  const { userCPUTime, systemCPUTime } = process.resourceUsage()
  const used = { megabytes: peak(), cpu: (userCPUTime + systemCPUTime) / 1e6 }
  writeFileSync(process.env.BENCH_USAGE, JSON.stringify(used))
})
