import { AppError } from '../../../base/errors.ts';
import type { Redact } from '../../../base/redaction/redact.ts';
import { maskJson } from '../../../base/redaction/redact-json.ts';
import { oneLine } from '../../../base/text/safe-text.ts';
import { visible, visibleWord } from '../../../base/text/visible-text.ts';
import type { ServerEntry } from '../../../config/server-entry.ts';
import type { Definition } from '../../../schema/definitions/definition.ts';
import { findMembers } from '../../../schema/json/text-members.ts';
import { applyProfile } from '../../../schema/profiles/apply-profile.ts';
import type { ProfileName } from '../../../schema/profiles/profile.ts';
import { PROFILES } from '../../../schema/profiles/registry.ts';
import { type ArgumentRules, readArguments } from '../../arguments/parse-arguments.ts';
import type { CommandContext } from '../../main.ts';
import { readChoice } from '../config/change-result.ts';
import { chooseFrom } from '../config/choose-entry.ts';
import { readDefinitions, surroundingsOf } from '../config/definitions.ts';
import { listOf, withServer } from '../listing/list-servers.ts';
import { ASK_FLAGS, ASK_VALUES, readAskOptions } from '../listing/request-options.ts';
import type { ReachedServer } from '../servers/reach-server.ts';
import { asFailureOf } from '../servers/server-failure.ts';
import { findToolName, type ToolName, unknownTool } from '../servers/tool-name.ts';
import { withOffer } from '../servers/tool-offered.ts';
import { describeTool } from './describe-tool.ts';
import { type ShownTool, toolDocument, toolText } from './tool-text.ts';

const PROFILE_NAMES: readonly ProfileName[] = ['codex', 'codex-legacy', 'none'];

const RULES: ArgumentRules = {
  command: 'switchboard mcp tool',
  words: ['<server>.<tool>'],
  needed: 1,
  once: ['--as', ...ASK_VALUES],
  flags: ASK_FLAGS,
};

/** `switchboard mcp tool <server>.<tool>`: its schema as its server and as a client has it, and why they differ. */
export async function mcpTool(args: readonly string[], context: CommandContext): Promise<void> {
  const asked = readArguments(args, RULES);
  const [written = ''] = asked.words;
  const profile = readChoice(asked, '--as', { words: PROFILE_NAMES, rules: RULES }) ?? 'codex';
  const options = readAskOptions(asked, RULES, context);
  const definitions = await readDefinitions(surroundingsOf(context));
  const { server: id, tool, others } = findToolName(written, definitions);
  const entry = await chooseFrom(definitions, { id, action: 'ask' });
  const shown = await asFailureOf(entry, () =>
    withServer(entry, options, async (server) => {
      const definition = await findTool({ tool, others }, { server, entry }, options.timeoutMs);
      return show(definition, { entry, profile, gatewayPid: server.gatewayPid, mask: server.redactor.redactTokens });
    }),
  );
  context.output.answer(asked.isJson ? toolDocument(shown) : toolText(shown));
}

async function findTool(
  { tool: name, others }: Pick<ToolName, 'tool' | 'others'>,
  place: { readonly server: ReachedServer; readonly entry: ServerEntry },
  timeoutMs: number | undefined,
): Promise<Definition> {
  const { items, leftOut, held, failure } = await listOf('tools', place, timeoutMs);
  const found = items.find(({ key }) => key === name);
  if (found !== undefined) return found;
  const unusable = [...leftOut, ...held].find((one) => one.name === name);
  if (unusable !== undefined) throw noDefinition(place.entry.id, name, unusable.reason);
  if (failure !== undefined) throw failure;
  const names = items.map(({ key }) => key);
  const { gatewayPid } = place.server;
  throw withOffer(unknownTool(place.entry, name, names, others), { gatewayPid, isAsked: true });
}

/** It is there and can be called, but what its server says of it is of no use to anybody. */
function noDefinition(server: string, tool: string, reason: string): AppError {
  const message = `${visibleWord(`${server}.${tool}`)} has no definition that could be shown: ${visible(oneLine(reason))}.`;
  return new AppError('TOOL_INVALID', message, { data: { server, tool } });
}

interface ShowOptions extends Pick<ShownTool, 'profile' | 'gatewayPid'> {
  readonly entry: ServerEntry;
  readonly mask: Redact;
}

function show(definition: Definition, { entry, profile, gatewayPid, mask }: ShowOptions): ShownTool {
  const profiled = applyProfile(PROFILES[profile], definition);
  const shown = (json: string | undefined) => json && maskJson(json, mask);
  return {
    ...describeTool(entry, definition, mask),
    ...{ profile, gatewayPid },
    repairs: definition.repairs.map(mask),
    rewrites: profiled.rewrites.map((one) => ({ ...one, path: mask(one.path), what: mask(one.what) })),
    before: shown(schemaOf(definition, 'inputSchema')) ?? '{}',
    after: shown(schemaOf(profiled.definition, 'inputSchema')) ?? '{}',
    output: shown(schemaOf(definition, 'outputSchema')),
  };
}

/** Of one that is written twice, the one that counts. */
function schemaOf({ json }: Definition, name: string): string | undefined {
  const last = findMembers(json, name).at(-1);
  return last === undefined ? undefined : json.slice(last.start, last.end);
}
