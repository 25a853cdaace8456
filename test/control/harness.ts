import { mkdtempSync, rmSync } from 'node:fs';
import { createConnection, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterEach } from 'vitest';
import type { Environment } from '../../src/config/files/folders.ts';
import {
  type ControlSocket,
  type ControlSocketOptions,
  openControlSocket,
} from '../../src/control/socket/control-socket.ts';
import type { RunningInstance } from '../../src/control/socket/running-instances.ts';
import { findRunningInstances } from '../../src/control/socket/running-instances.ts';

export interface ControlHarness {
  /** Creates a folder without running instances, by default in the temporary folder. */
  folder(parent?: string): string;
  testEnvironment(home?: string): Environment;
  /** Throws if the socket cannot be opened. */
  open(options: Partial<ControlSocketOptions> & { readonly environment: Environment }): Promise<ControlSocket>;
  /** Opens a raw connection. */
  dial(address: string): RawConnection;
}

interface RawConnection {
  readonly socket: Socket;
  /** Resolves with the next line, parsed; undefined when the connection has closed. */
  next(): Promise<unknown>;
}

/** Opens control sockets in temporary folders. Everything is removed after each test. */
export function controlHarness(): ControlHarness {
  const controls: ControlSocket[] = [];
  const sockets: Socket[] = [];
  const folders: string[] = [];
  afterEach(async () => {
    for (const socket of sockets.splice(0)) socket.destroy();
    await Promise.all(controls.splice(0).map((control) => control.close()));
    for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
  });

  const folder = (parent = tmpdir()) => {
    const made = mkdtempSync(join(parent, 'sbctl-'));
    folders.push(made);
    return made;
  };

  return {
    folder,
    testEnvironment: (home = folder()) => ({
      cwd: home,
      home,
      env: { SWITCHBOARD_HOME: home },
      platform: process.platform,
    }),
    async open(options) {
      const onProblem = (text: string) => {
        throw new Error(text);
      };
      const control = await openControlSocket({ answer: (method) => ({ method }), onProblem, ...options });
      if (control === undefined) throw new Error('The control socket could not be opened.');
      controls.push(control);
      return control;
    },
    dial(address) {
      const socket = createConnection(address);
      sockets.push(socket);
      socket.on('error', () => {});
      const lines = createInterface({ input: socket })[Symbol.asyncIterator]();
      return {
        socket,
        async next() {
          const { value, done } = await lines.next();
          return done === true ? undefined : JSON.parse(value);
        },
      };
    },
  };
}

/** Returns the only running instance. Throws if there is not exactly one. */
export function onlyRunning(testEnvironment: Environment): RunningInstance {
  const { running } = findRunningInstances(testEnvironment);
  const [one, ...more] = running;
  if (one === undefined || more.length > 0) throw new Error(`Expected one running instance, found ${running.length}.`);
  return one;
}
