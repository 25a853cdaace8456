// The client under test in the conformance suite: a program that embeds our host and treats every server the same.
// It lists everything, calls every tool, reads every resource and gets every prompt. The suite starts it
// with the URL as the last argument. run.mjs bundles it first.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type AgentTool, createHost, type Host, type SignInRequest } from '../../src/host/index.ts';
import { answerForm, answerModel, sampleFor } from './samples.ts';
import { readScenario, type Scenario } from './scenario.ts';

/** The suite kills only the shell that started this process, so it must exit by itself. */
const LIFETIME_MS = 45_000;
/** The client id that the suite expects. The document does not exist and is never fetched. */
const METADATA_URL = 'https://conformance-test.local/client-metadata.json';

const home = mkdtempSync(join(tmpdir(), 'switchboard-client-'));
setTimeout(() => process.exit(1), LIFETIME_MS).unref();
process.once('exit', () => rmSync(home, { recursive: true, force: true }));
await visit(readScenario(process.argv.at(-1) ?? '', process.env));

async function visit({ config, toolCalls }: Scenario): Promise<void> {
  const host = await createHost({
    config,
    cwd: home,
    env: { ...process.env, SWITCHBOARD_HOME: home },
    permissions: { rules: [{ decide: 'allow' }] },
    signIn: signInAtOnce,
    clientMetadataUrl: METADATA_URL,
    onElicitation: (asked) => ({
      action: 'accept',
      ...(asked.mode === 'form' ? { content: answerForm(asked.schema) } : {}),
    }),
    onSampling: answerModel,
    roots: [],
  });
  try {
    const tools = (await host.tools()).filter(({ origin }) => origin !== undefined);
    for (const { name, arguments: args } of toolCalls ?? tools.map((tool) => toCall(tool, tools))) {
      await call(
        tools.find(({ origin }) => origin?.tool === name),
        args,
      );
    }
    await readAll(host);
    for (const { state, note } of host.list()) if (state !== 'ready') complain(`${state}: ${note}`);
  } finally {
    await host.close();
  }
}

/** Signs in without a user: the suite's authorization server redirects immediately. */
async function signInAtOnce({ authorizationUrl }: SignInRequest): Promise<undefined> {
  await (await fetch(authorizationUrl)).text();
}

function toCall(tool: AgentTool, tools: readonly AgentTool[]) {
  const name = tool.origin?.tool;
  // This tool expects the schema of another tool, exactly as received.
  if (name === 'json_schema_echo') {
    const neighbor = tools.find(({ origin }) => origin?.tool === 'json_schema_2020_12_tool');
    return { name, arguments: { schema: neighbor?.parameters } };
  }
  return { name, arguments: sampleFor(tool.parameters) };
}

/** Reports a failed call and continues. */
async function call(tool: AgentTool | undefined, args: unknown): Promise<void> {
  const message = await tool?.run(args);
  if (message?.is_error !== false) complain(message?.text ?? 'a tool is missing');
}

async function readAll({ resources, prompts }: Host): Promise<void> {
  const asked = [
    ...(await resources.list()).map(
      ({ uri }) =>
        () =>
          resources.read(uri),
    ),
    ...(await prompts.list()).map(
      ({ server, name }) =>
        () =>
          prompts.get(server, name),
    ),
  ];
  for (const ask of asked) {
    await ask().catch((error: unknown) => complain(error instanceof Error ? error.message : String(error)));
  }
}

function complain(text: string): void {
  process.stderr.write(`${text}\n`);
  process.exitCode = 1;
}
