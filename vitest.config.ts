import { join } from 'node:path';
import { defineConfig } from 'vitest/config';
import { openMemoryFolder } from './test/memory-folder.ts';

/** Tests that run in both projects, each with its own Codex versions: see `test/codex/releases.ts`. */
const RELEASES = 'test/**/*.releases.test.ts';
/** Tests that need more than `npm ci` installs, try every combination, inject faults, or take long. */
const JUDGES = 'test/**/*.judges.test.ts';
const NOT_OURS = ['**/node_modules/**', 'test/.tmp/**'];

// Node 20 reads this file at every start, which triples the start of the thousands of processes that the tests run.
// The tests connect to loopback only and make their own certificates.
delete process.env.NODE_EXTRA_CA_CERTS;
// Homes of tests are new, so that every command would compile its code again.
process.env.SWITCHBOARD_CODE_CACHE = join(import.meta.dirname, 'node_modules/.cache/switchboard');
// Tests create and delete some hundred thousand small files, which costs a third of their time on a disk.
process.env.TMPDIR ??= openMemoryFolder();

export default defineConfig({
  test: {
    pool: 'forks',
    // Far above what a test needs, so that a busy or slow machine does not fail it; a hung test still ends.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    expect: { poll: { timeout: 30_000 } },
    reporters: ['default'],
    projects: [
      {
        extends: true,
        test: {
          name: 'unit',
          include: ['src/**/*.test.ts'],
          // Files share their modules: to load them for each of 280 files costs more than the tests.
          isolate: false,
          maxWorkers: 3,
          sequence: { groupOrder: 0 },
        },
      },
      {
        extends: true,
        test: {
          name: 'integration',
          include: ['test/**/*.test.ts'],
          exclude: [...NOT_OURS, JUDGES],
          provide: { codexReleases: ['current'] },
          // Files share their modules, as in unit. Most tests wait for processes more than they work.
          isolate: false,
          maxWorkers: 6,
          sequence: { groupOrder: 1 },
        },
      },
      {
        extends: true,
        test: {
          name: 'judges',
          include: [JUDGES, RELEASES],
          exclude: NOT_OURS,
          provide: { codexReleases: ['previous', 'old'] },
          maxWorkers: 4,
          sequence: { groupOrder: 2 },
        },
      },
    ],
  },
});
