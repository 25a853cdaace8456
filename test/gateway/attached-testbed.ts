import { type FixtureName, fixture } from '../fixtures/paths.ts';
import { longTimeoutEnv } from '../interop/programs.ts';
import { configure } from '../mcp/test-report.ts';
import { useTestbeds } from '../mcp/testbed.ts';
import { addressOf, useGateways } from '../mcp/via-gateway-testbed.ts';
import type { ProcessTracker } from '../processes.ts';
import { type AttachedClient, useAttached } from './attached-client.ts';
import type { Message } from './harness.ts';

interface TwoOptions {
  /** Capabilities of the first and of the attached client. */
  readonly first?: Record<string, unknown>;
  readonly beside?: Record<string, unknown>;
  /** Servers besides `one`. */
  readonly others?: Readonly<Record<string, unknown>>;
}

export function useTwo(processes: ProcessTracker) {
  const newTestbed = useTestbeds(processes);
  const gateways = useGateways(processes);
  const attach = useAttached();
  return {
    attach,
    /** The real gateway with the server `one`, its first client, and a client that is attached to that server. */
    async two(one: FixtureName, { first = {}, beside = {}, others = {} }: TwoOptions = {}) {
      const testbed = configure(newTestbed(), { one: fixture(one), ...others });
      const gateway = await gateways.start(testbed, { capabilities: first, env: longTimeoutEnv });
      await gateway.request('tools/list');
      const running = await addressOf(gateway, testbed);
      const attached = await attach(running, 'one', { capabilities: beside });
      return { testbed, first: gateway, attached, running };
    },
  };
}

/** All received messages except responses. */
export function notifications(client: { readonly received: readonly Message[] }): readonly Message[] {
  return client.received.filter(({ method }) => method !== undefined);
}

export function callOf(id: number, name: string, args: Record<string, unknown> = {}, token?: number) {
  const meta = token === undefined ? {} : { _meta: { progressToken: token } };
  return { id, method: 'tools/call', params: { name, arguments: args, ...meta } };
}

/** Returns the params of all messages of this method that a fixture with the tool `heard` received. */
export async function receivedParams(attached: AttachedClient, method: string): Promise<readonly unknown[]> {
  const { result } = await attached.call('heard');
  const messages: readonly Message[] = JSON.parse(result.content[0].text).map((line: string) => JSON.parse(line));
  return messages.filter((message) => message.method === method).map(({ params }) => params);
}
