import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
    exclude: ['**/node_modules/**', 'test/.tmp/**'],
    pool: 'forks',
    // Most tests wait for processes more than they work.
    maxWorkers: 2,
    // Far above what a test needs, so that a busy or slow machine does not fail it; a hung test still ends.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    expect: { poll: { timeout: 30_000 } },
    reporters: ['default'],
  },
});
