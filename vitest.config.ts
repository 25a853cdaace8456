import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
    exclude: ['**/node_modules/**', 'test/.tmp/**'],
    pool: 'forks',
    // Most tests wait for processes more than they work.
    maxWorkers: 2,
    testTimeout: 5_000,
    hookTimeout: 20_000,
    reporters: ['default'],
  },
});
