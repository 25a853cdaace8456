// The client that the conformance suite judges: a program with our host in it, which does with every server the same, as a
// curious person would: lists what is there, calls every tool, reads every resource, gets every prompt. Started by the
// suite with the address as its last argument; run.mjs bundles it first.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type AgentTool, createHost, type Host, type SignInRequest } from '../../src/host/index.ts';
import { answerForm, answerModel, sampleFor } from './samples.ts';
import { readScenario, type Scenario } from './scenario.ts';

/** The suite ends the shell that it started us with, not us. */
const LIFETIME_MS = 45_000;
/** The suite knows us by this document; it stands nowhere, and nobody fetches it. */
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

/** Signs in by a browser without a person: the suite's authorization server sends it straight back. */
async function signInAtOnce({ authorizationUrl }: SignInRequest): Promise<undefined> {
  await (await fetch(authorizationUrl)).text();
}

function toCall(tool: AgentTool, tools: readonly AgentTool[]) {
  const name = tool.origin?.tool;
  // This one wants to see the schema of its neighbour, as it arrived.
  if (name === 'json_schema_echo') {
    const neighbour = tools.find(({ origin }) => origin?.tool === 'json_schema_2020_12_tool');
    return { name, arguments: { schema: neighbour?.parameters } };
  }
  return { name, arguments: sampleFor(tool.parameters) };
}

/** A call that fails is no reason to leave the rest undone. */
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
