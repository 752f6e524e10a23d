// Preloaded into a measured program: leaves what it used in the file that BENCH_USAGE names.
'use strict'

process.once('exit', () => {
  const { maxRSS, userCPUTime, systemCPUTime } = process.resourceUsage()
  const used = { megabytes: maxRSS / 1024, cpu: (userCPUTime + systemCPUTime) / 1e6 }
  require('node:fs').writeFileSync(process.env.BENCH_USAGE, JSON.stringify(used))
})
