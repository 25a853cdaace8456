// @ts-check
import { withFixtureServer } from '../programs.mjs';

/** A server that uses the kit, over HTTP. @type {import('./targets.mjs').Target} */
export const kitTarget = {
  name: 'kit',
  side: 'server',
  judge: (run) => withFixtureServer((url) => run.all(['--url', url])),
};
