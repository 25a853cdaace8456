import { fileURLToPath } from 'node:url';

/** The command of a server with an app, a skill and tasks. Servers with different labels use the same URIs. */
export function appServer(label: string, extraCapabilities: object = {}): { command: string; args: string[] } {
  const path = fileURLToPath(new URL('fixtures/has-apps.mjs', import.meta.url));
  return { command: process.execPath, args: [path, label, JSON.stringify(extraCapabilities)] };
}
