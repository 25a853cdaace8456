import { afterAll, beforeAll } from 'vitest';
import { isObject, type JsonObject } from '../codex/json.ts';
import { withoutShellSnapshot } from '../codex-server/flow-testbed.ts';
import { type CodexClient, openTestbed, type ServeOptions, type Testbed } from '../codex-server/testbed.ts';
import { createProcessTracker } from '../processes.ts';

type Options = NonNullable<Parameters<typeof openTestbed>[1]>;

/** One testbed for all tests of a file. At the end, no process may be left running. */
export function shareTestbed(options: Options = {}): {
  readonly testbed: () => Testbed;
  serve(options?: ServeOptions): Promise<CodexClient>;
} {
  const processes = createProcessTracker();
  let opened: Testbed | undefined;
  const testbed = () => {
    if (opened === undefined) throw new Error('the testbed is not open');
    return opened;
  };
  beforeAll(async () => {
    opened = await openTestbed(processes, withoutShellSnapshot(options));
  });
  afterAll(async () => {
    await opened?.[Symbol.asyncDispose]();
    await processes.assertAllGone({ withinMs: 20_000 });
  });
  return {
    testbed,
    serve: ({ args = ['mcp-server'], env = {}, ...rest } = {}) =>
      // A separate home, so that login shells do not read the developer's own files.
      testbed().serve({ args, env: { HOME: testbed().home.rootDir, ...env }, ...rest }),
  };
}

/** The `codex/event` notifications of one call. */
export function eventsOf({ notifications }: CodexClient, requestId: unknown): readonly JsonObject[] {
  return notifications
    .filter(({ method }) => method === 'codex/event')
    .map(({ params }) => params)
    .filter(({ _meta }) => isObject(_meta) && _meta['requestId'] === requestId);
}

/** Their messages. */
export function messagesOf(client: CodexClient, requestId: unknown): readonly JsonObject[] {
  return eventsOf(client, requestId).map(({ msg }) => (isObject(msg) ? msg : {}));
}

/** The types of their messages, in order, except those that arrive at random times. */
export function typesOf(client: CodexClient, requestId: unknown): readonly unknown[] {
  return messagesOf(client, requestId)
    .map(({ type }) => type)
    .filter((type) => type !== 'exec_command_output_delta' && type !== 'raw_response_completed');
}

export function threadIdOf(result: JsonObject): string {
  const { structuredContent } = result;
  return String(isObject(structuredContent) ? structuredContent['threadId'] : undefined);
}

/** A command that needs approval. */
export function escalated(command: string) {
  const options = { sandbox_permissions: 'require_escalated', justification: 'need it' };
  return { shell: command, options };
}
