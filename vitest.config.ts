import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
    exclude: ['**/node_modules/**', 'test/.tmp/**'],
    pool: 'forks',
    testTimeout: 5_000,
    hookTimeout: 20_000,
    reporters: ['default'],
  },
});
