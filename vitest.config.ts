import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
    exclude: ['test/judges/node_modules/**', 'node_modules/**'],
    pool: 'forks',
    testTimeout: 5_000,
    hookTimeout: 20_000,
    reporters: ['default'],
  },
});
