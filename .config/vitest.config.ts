import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: ['.config/build-once.ts', 'test/support/run.ts'],
    setupFiles: ['.config/measured.cjs', 'test/support/file.ts'],
    pool: 'forks',
    // All cores: most of the time tests wait for programs that they started.
    maxWorkers: '100%',
    testTimeout: 30_000,
    hookTimeout: 60_000,
  },
})
