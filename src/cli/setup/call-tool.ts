import { messageOf } from '../../base/errors.ts';
import { oneLine } from '../../base/text/safe-text.ts';
import { escapeInvisible } from '../../base/text/visible-text.ts';
import { launcherFile } from '../../clients/launcher/install-launcher.ts';
import { commandTransport, typedEntry } from '../../config/entry/typed-entry.ts';
import { createEntryRedactor } from '../../config/secrets/config-redactor.ts';
import type { ServerEntry } from '../../config/server-entry.ts';
import { isToolEnabled } from '../../config/tool-filter.ts';
import { readDefinitionList } from '../../schema/definitions/definition-list.ts';
import { type ConnectedServer, connectServer } from '../../upstream/entry/connect-server.ts';
import { isObject } from '../../wire/messages.ts';
import type { ConnectedClient } from './connect-clients.ts';
import type { SetupRun } from './setup-run.ts';
import type { SetupTest } from './test-servers.ts';

/** The one call that setup makes, to show that everything works. */
export type SetupCall =
  | { readonly kind: 'none'; readonly reason: string }
  | {
      readonly kind: 'called';
      /** As the client sees it: `files__list`. */
      readonly tool: string;
      /** The client whose gateway was used. Undefined if the server was called directly. */
      readonly client: string | undefined;
      readonly ms: number;
      readonly result: string;
      readonly isError: boolean;
    };

/**
 * Calls a tool that only reads and needs no arguments. Starts the gateway exactly as a connected client does, if one
 * of them sees the server.
 */
export async function callReadOnlyTool(
  tests: readonly SetupTest[],
  { connected, run }: { readonly connected: readonly ConnectedClient[]; readonly run: SetupRun },
): Promise<SetupCall> {
  const candidates = tests.filter(({ entry, report }) => readOnlyTool(report.offered?.lists.tools ?? [], entry));
  const [first] = candidates;
  if (first === undefined) return { kind: 'none', reason: noCallReason(tests) };
  const sees = ({ servers, error }: ConnectedClient) => error === undefined && servers.includes(first.entry.id);
  const client = connected.find(sees);
  const entry = client === undefined ? first.entry : gatewayEntry(client, run);
  const { redact } = createEntryRedactor(run.environment, first.entry);
  return call(entry, { client, redact, run });
}

function noCallReason(tests: readonly SetupTest[]): string {
  if (!tests.some(({ report }) => report.failed === undefined)) return 'no server works yet';
  return 'no tool is marked as read-only (readOnlyHint) and works without arguments';
}

/** Returns the name of the first tool that only reads and needs no arguments. */
function readOnlyTool(pages: readonly Buffer[], { tools }: Pick<ServerEntry, 'tools'>): string | undefined {
  const { items } = readDefinitionList('tools', pages);
  const found = items.find(({ key, hints, json }) => {
    if (!hints.readOnly || SENSITIVE.test(key) || !isToolEnabled(tools, key)) return false;
    const definition: unknown = JSON.parse(json);
    const schema = isObject(definition) ? definition['inputSchema'] : undefined;
    const required = isObject(schema) ? schema['required'] : undefined;
    return required === undefined || (Array.isArray(required) && required.length === 0);
  });
  return found?.key;
}

/** Its result is shown, so it must not be a list of secrets. */
const SENSITIVE = /env(?!elop)|secret|token|password|credential|key/i;

async function call(
  entry: ServerEntry,
  {
    client,
    redact,
    run,
  }: {
    readonly client: ConnectedClient | undefined;
    redact(text: string): string;
    readonly run: SetupRun;
  },
): Promise<SetupCall> {
  const { environment, signal } = run;
  let server: ConnectedServer | undefined;
  try {
    server = await connectServer({ entry, environment, signal });
    const { pages } = await server.list('tools');
    const tool = readOnlyTool(pages, entry);
    if (tool === undefined) return { kind: 'none', reason: `${client?.title ?? entry.id} does not list the tool` };
    const since = performance.now();
    const result = await server.request(
      'tools/call',
      { name: tool, arguments: {} },
      { timeoutMs: CALL_TIMEOUT_MS, signal },
    );
    const ms = Math.round(performance.now() - since);
    const isError = isObject(result) && result['isError'] === true;
    return { kind: 'called', tool, client: client?.title, ms, result: redact(resultText(result)), isError };
  } catch (error) {
    run.throwIfInterrupted();
    return { kind: 'none', reason: messageOf(error).replace(/\.$/, '') };
  } finally {
    await server?.close();
  }
}

const CALL_TIMEOUT_MS = 15_000;
const MAX_RESULT = 120;

/** Describes a result in one line. */
function resultText(result: unknown): string {
  const { content, structuredContent } = isObject(result) ? result : {};
  const [first]: readonly unknown[] = Array.isArray(content) ? content : [];
  const text = isObject(first) && typeof first['text'] === 'string' ? first['text'] : JSON.stringify(structuredContent);
  return escapeInvisible(oneLine(text ?? '', MAX_RESULT));
}

/** The entry that `connect` wrote, as a server of our own. */
function gatewayEntry({ client }: ConnectedClient, { environment }: SetupRun): ServerEntry {
  const transport = commandTransport(launcherFile(environment), ['gateway', '--client', client]);
  return typedEntry({ id: 'switchboard', transport });
}
