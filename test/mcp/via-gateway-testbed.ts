import { afterEach, expect } from 'vitest';
import type { Environment } from '../../src/config/files/folders.ts';
import { findRunningInstances, type RunningInstance } from '../../src/control/socket/running-instances.ts';
import { CliProcess } from '../gateway/cli-process.ts';
import { switchboard } from '../interop/programs.ts';
import type { ProcessTracker } from '../processes.ts';
import { ownServer } from './call-testbed.ts';
import { runAsJson } from './listing-testbed.ts';
import { configure } from './test-report.ts';
import type { Testbed } from './testbed.ts';

interface Gateways {
  /** Starts the real gateway with an initialized client, and waits for its control socket. Stopped after each test. */
  start(testbed: Testbed, options?: StartOptions): Promise<CliProcess>;
}

interface StartOptions {
  /** Default: `gateway`. */
  readonly args?: readonly string[];
  readonly capabilities?: Record<string, unknown>;
  /** Its client has sent a message, but not `initialize`. */
  readonly isUngreeted?: boolean;
  readonly env?: Readonly<Record<string, string>>;
}

export function useGateways(processes: ProcessTracker): Gateways {
  const open: CliProcess[] = [];
  afterEach(async () => {
    for (const gateway of open) gateway.endInput();
    await Promise.all(open.splice(0).map(({ exited }) => exited));
  });
  return {
    async start(testbed, { args = ['gateway'], capabilities = {}, isUngreeted = false, env = {} } = {}) {
      const { home, cwd } = environmentOf(testbed);
      const own = { HOME: home, SWITCHBOARD_HOME: testbed.path('own'), ...env };
      const gateway = new CliProcess(switchboard(...args), processes, own, cwd);
      open.push(gateway);
      if (isUngreeted) {
        await gateway.request('ping');
      } else {
        const clientInfo = { name: 'test', version: '1' };
        await gateway.request('initialize', { protocolVersion: '2025-11-25', capabilities, clientInfo });
        gateway.send({ method: 'notifications/initialized' });
      }
      await addressOf(gateway, testbed);
      return gateway;
    },
  };
}

/** Waits for a gateway's control socket and returns its address. */
export async function addressOf({ pid }: { readonly pid: number }, testbed: Testbed): Promise<RunningInstance> {
  const find = () => findRunningInstances(environmentOf(testbed)).running.find((one) => one.pid === pid);
  await expect.poll(find, { timeout: 30_000, interval: 20 }).toBeDefined();
  return find() ?? { pid, address: '' };
}

export function environmentOf(testbed: Testbed): Environment {
  return {
    cwd: testbed.path('project'),
    home: testbed.folder,
    env: { SWITCHBOARD_HOME: testbed.path('own') },
    platform: process.platform,
  };
}

/** A server that records each of its starts. Everything it offers returns its process id. */
export const RECORDS_STARTS_SERVER = `
  note(String(process.pid));
  const who = String(process.pid);
  serve({
    capabilities: { resources: {}, prompts: {} },
    tools: { who: { call: () => text(who) } },
    methods: {
      'resources/list': () => ({ resources: [{ uri: 'test://who', name: who }] }),
      'resources/read': () => ({ contents: [{ uri: 'test://who', text: who }] }),
      'resources/templates/list': () => ({ resourceTemplates: [] }),
      'prompts/list': () => ({ prompts: [{ name: 'who', description: who }] }),
      'prompts/get': () => ({ messages: [{ role: 'user', content: { type: 'text', text: who } }] }),
    },
  });`;

/** Configures the server `one`, which records its starts. */
export function configureOne(testbed: Testbed): Testbed {
  return configure(testbed, { one: ownServer(testbed, RECORDS_STARTS_SERVER) });
}

/** Returns which process answered `mcp call one.who`, and whether the call went through the gateway. */
export async function answeringProcess(testbed: Testbed, ...args: readonly string[]) {
  const { status, answer, error } = await runAsJson(testbed, 'call', 'one.who', ...args);
  return { status, via: answer?.via, pid: answer?.result.content[0].text, error };
}
