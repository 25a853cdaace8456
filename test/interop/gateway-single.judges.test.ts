import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { fixture } from '../fixtures/paths.ts';
import { trackProcesses } from '../processes.ts';
import { verifies } from '../verifies.ts';
import type { Message } from './inbox.ts';
import { type CommandLine, longTimeoutEnv, officialServer, ownServer, switchboard } from './programs.ts';
import { openSdkClient, type SdkClient, sdkKinds } from './sdk-client.ts';

// Each of these starts a server twice.
const processes = trackProcesses();
const everything = officialServer('everything');
const through = ({ command, args }: CommandLine) => switchboard('--', command, ...args);

describe.each(sdkKinds)(
  'through `switchboard --` the official client (%s) is sent exactly what it is sent directly',
  (kind) => {
    /** All messages that the client receives in the same conversation, without the gateway and with it. */
    const compare = async (server: CommandLine, visit: (client: SdkClient) => Promise<void>) => {
      const [direct, passed] = await Promise.all(
        [server, through(server)].map(async (program) => {
          await using client = await openSdkClient(
            kind,
            { ...program, env: processes.env(longTimeoutEnv) },
            { elicitation: decline },
          );
          await visit(client);
          return client.received.map(withoutIdOfQuestion);
        }),
      );
      expect(passed).toEqual(direct);
      expect(direct?.length).toBeGreaterThan(1);
    };

    verifies('gateway:aggregate:transparent', 'by the official server everything', async () => {
      await compare(everything, async ({ sdk, callTool }) => {
        await sdk.listTools();
        await sdk.listPrompts();
        await sdk.listResources();
        await sdk.listResourceTemplates();
        await callTool('echo', { message: 'grüße' });
        await callTool('get-structured-content', { location: 'New York' });
        await callTool('get-tiny-image');
        await callTool('get-resource-links', { count: 4 });
        await callTool('get-sum', { a: 'not a number' });
        await callTool('no-such-tool').catch(() => {});
        await callTool('trigger-long-running-operation', { duration: 0.2, steps: 4 }, { onprogress: () => {} });
        await callTool('trigger-elicitation-request');
        await sdk.getPrompt({ name: 'completable-prompt', arguments: { department: 'Sales', name: 'Eve' } });
        const ref = { type: 'ref/prompt', name: 'completable-prompt' } as const;
        await sdk.complete({ ref, argument: { name: 'department', value: 'S' } });
        await sdk.readResource({ uri: 'demo://resource/static/document/features.md' });
        await sdk.setLoggingLevel('debug');
        await sdk.subscribeResource({ uri: 'demo://resource/dynamic/text/1' });
        await callTool('toggle-subscriber-updates');
        await sdk.ping();
      });
    });

    test('by the official server filesystem', async () => {
      const folder = realpathSync(mkdtempSync(join(tmpdir(), 'switchboard-interop-')));
      writeFileSync(join(folder, 'note.txt'), 'one\ntwo\n');
      try {
        await compare(officialServer('filesystem', folder), async ({ sdk, callTool }) => {
          await sdk.listTools();
          await callTool('read_text_file', { path: join(folder, 'note.txt'), head: 1 });
          await callTool('directory_tree', { path: folder });
          await callTool('read_text_file', { path: '/etc/passwd' });
        });
      } finally {
        rmSync(folder, { recursive: true });
      }
    });

    test('by a server whose list no client can parse', async () => {
      await compare(fixture('odd-tools'), async ({ sdk, callTool }) => {
        await sdk.listTools().catch(() => {});
        await callTool('good', { q: 'x' });
      });
    });

    test('by a server that returns odd values', async () => {
      await compare(fixture('exact-bytes'), async ({ sdk, callTool }) => {
        await sdk.listTools();
        await callTool('odd-values').catch(() => {});
        await callTool('raw-arguments', { a: [1.5, 'grüße', null] });
      });
    });
  },
);

verifies(
  'gateway:errors:passthrough',
  'an error is rewritten with the original in its data, or passed unchanged on request',
  async () => {
    const refusal = { code: -32050, message: 'the disk is full;\n  delete something' };
    const failure = async (program: CommandLine, env = processes.env(longTimeoutEnv)) => {
      await using client = await openSdkClient('version 1', { ...program, env });
      await client.callTool('refuse').catch(() => {});
      return client.received.at(-1)?.error;
    };
    const server = ownServer('refuses-calls');
    expect(await failure(server)).toEqual(refusal);
    for (const wanted of ['1', 'true']) {
      const env = processes.env({ ...longTimeoutEnv, WRAPPER_ERROR_PASSTHROUGH: wanted });
      expect(await failure(through(server), env)).toEqual(refusal);
    }
    expect(await failure(through(server))).toEqual({
      code: -32050,
      message: 'Server error: the disk is full; delete something',
      data: { kind: 'server_error', retryable: false, toolName: 'refuse', serverName: 'node', original: refusal },
    });
  },
);

/** The server's own id is not visible to the client, and differs. */
function withoutIdOfQuestion(message: Message): Message {
  const { id: _, ...question } = message;
  return message.method === undefined ? message : question;
}

function decline() {
  return { action: 'decline' } as const;
}
