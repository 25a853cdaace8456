import { AppError } from '../../base/errors.ts';
import type { SessionSettings, TurnInput } from '../engine.ts';
import type { ApprovalPolicy, SandboxMode } from '../item-types.ts';
import { withAbsoluteRoots } from '../limits/absolute-roots.ts';
import { assertSandboxAllowed, type OperatorLimits } from '../limits/operator-limits.ts';
import type { SettingsOrigin } from '../limits/turn-permissions.ts';
import type { ServerContext } from '../server-context.ts';
import { assertConfigAllowed } from './caller-config.ts';
import { assertInsideGitRepository, checkFolder, checkImages, checkWritableFolder } from './check-paths.ts';
import { readProfile } from './codex-config.ts';
import { nestKeys } from './dotted-keys.ts';
import { mergeConfig } from './merge-config.ts';
import { parseConfigValue } from './toml.ts';
import { toUserConfig } from './user-config.ts';

/** The settings that a caller may choose for a new session, named as in `codex_start`. */
export interface StartArguments {
  readonly prompt: string;
  readonly workingDirectory?: string;
  readonly model?: string;
  readonly effort?: string;
  readonly approvalPolicy?: ApprovalPolicy | 'on-failure';
  readonly sandbox?: SandboxMode;
  readonly fullAuto?: boolean;
  readonly profile?: string;
  readonly config?: Readonly<Record<string, unknown>>;
  readonly baseInstructions?: string;
  readonly developerInstructions?: string;
  readonly compactPrompt?: string;
  readonly images?: readonly string[];
  readonly addDirs?: readonly string[];
  readonly name?: string;
  readonly skipGitRepoCheck?: boolean;
  readonly dangerouslyBypassApprovalsAndSandbox?: boolean;
}

export interface CheckedSettings {
  readonly settings: SessionSettings & { readonly cwd: string };
  readonly warnings: readonly string[];
}

export interface CheckedStart extends CheckedSettings {
  readonly input: TurnInput;
}

/** Codex's own limit. */
const MAX_PROMPT_CHARS = 1_048_576;

/** Returns whether the caller has chosen configuration of its own. */
export function settingsOrigin({ config, profile }: Pick<StartArguments, 'config' | 'profile'>): SettingsOrigin {
  return config === undefined && profile === undefined ? 'user' : 'caller';
}

/** Checks all arguments before anything starts. Throws for arguments that Codex would silently ignore. */
export async function checkStart(given: StartArguments, serverContext: ServerContext): Promise<CheckedStart> {
  const text = checkText(given.prompt, 'prompt');
  const { settings, warnings } = await checkSettings(given, serverContext);
  const images = await checkImages(given.images ?? [], settings.cwd, serverContext);
  return { settings, input: { text, images }, warnings };
}

/** Checks the settings of a new or resumed session, without a prompt. */
export async function checkSettings(
  given: Omit<StartArguments, 'prompt' | 'images'>,
  serverContext: ServerContext,
): Promise<CheckedSettings> {
  const { operatorLimits } = serverContext;
  const folder = await checkFolder(given.workingDirectory ?? '.', 'workingDirectory', serverContext);
  if (given.skipGitRepoCheck !== true) await assertInsideGitRepository(folder);
  const addDirs = await Promise.all(
    (given.addDirs ?? []).map((dir) => checkWritableFolder(dir, 'addDirs', serverContext, folder)),
  );
  const { policy, warnings } = toApprovalPolicy(given.approvalPolicy);
  const own = {
    ...pick(given, ['model', 'effort', 'baseInstructions', 'developerInstructions', 'compactPrompt', 'name']),
    ...(policy === undefined ? {} : { approvalPolicy: policy }),
    ...pick(given, ['sandbox']),
  };
  const overrides = nestKeys(await parseValues(given.config ?? {}));
  const settings = {
    ...expandFullAuto(given),
    ...own,
    ...(given.dangerouslyBypassApprovalsAndSandbox === true ? BYPASS : {}),
    cwd: folder,
    ...(given.skipGitRepoCheck === true ? { skipsGitCheck: true } : {}),
    ...(addDirs.length === 0 ? {} : { addDirs }),
  };
  if (settings.sandbox !== undefined) assertSandboxAllowed(operatorLimits, settings.sandbox);
  const profile = given.profile === undefined ? undefined : await loadProfile(given.profile, serverContext);
  await assertConfigAllowed(overrides, { serverContext, folder, profile: profile?.overrides });
  const absolute = withAbsoluteRoots(overrides, { base: folder, home: serverContext.home });
  const configured = { ...settings, ...mergeProfile(profile, absolute) };
  assertProfileAllowed(operatorLimits, configured);
  return { settings: configured, warnings };
}

/** A profile is the user's own file and may start any program, but a caller must not use it to leave the sandbox. */
function assertProfileAllowed(
  operatorLimits: OperatorLimits,
  { sandbox, config = {}, profile }: SessionSettings,
): void {
  if (profile === undefined || sandbox !== undefined) return;
  const { sandboxMode, defaultPermissions } = toUserConfig(config);
  if (sandboxMode !== undefined) assertSandboxAllowed(operatorLimits, sandboxMode);
  if (defaultPermissions?.startsWith(':danger') === true) assertSandboxAllowed(operatorLimits, 'danger-full-access');
}

/** Checks a text for the model. */
export function checkText(text: string, name: string): string {
  if (text.trim() === '') throw new AppError('BAD_ARGUMENTS', `${name} is empty: say what Codex should do.`);
  if (text.length <= MAX_PROMPT_CHARS) return text;
  const message = `${name} has ${text.length} characters, but Codex accepts at most ${MAX_PROMPT_CHARS}. Write it to a file and pass its path.`;
  throw new AppError('BAD_ARGUMENTS', message);
}

/** Replaces `on-failure`, a policy of older versions, by the closest current one. */
export function toApprovalPolicy(policy: ApprovalPolicy | 'on-failure' | undefined): {
  readonly policy: ApprovalPolicy | undefined;
  readonly warnings: readonly string[];
} {
  if (policy !== 'on-failure') return { policy, warnings: [] };
  const warning = 'approvalPolicy "on-failure" no longer exists in Codex: this session runs with "on-request".';
  return { policy: 'on-request', warnings: [warning] };
}

const BYPASS = { approvalPolicy: 'never', sandbox: 'danger-full-access' } as const;

function expandFullAuto({
  fullAuto,
}: Pick<StartArguments, 'fullAuto'>): Pick<SessionSettings, 'approvalPolicy' | 'sandbox'> {
  return fullAuto === true ? { approvalPolicy: 'on-request', sandbox: 'workspace-write' } : {};
}

type Profile = NonNullable<SessionSettings['profile']>;

async function loadProfile(name: string, { codexHome, home }: ServerContext): Promise<Profile> {
  return { name, overrides: withAbsoluteRoots(await readProfile(codexHome, name), { base: codexHome, home }) };
}

function mergeProfile(
  profile: Profile | undefined,
  overrides: Readonly<Record<string, unknown>>,
): Pick<SessionSettings, 'profile' | 'config'> {
  if (profile === undefined) return Object.keys(overrides).length === 0 ? {} : { config: overrides };
  return { profile, config: mergeConfig(profile.overrides, overrides) };
}

/** Parses string values as TOML. The values of the tool are strings; those of the drop-in may be any JSON value. */
async function parseValues(config: Readonly<Record<string, unknown>>): Promise<Readonly<Record<string, unknown>>> {
  const parsed = Object.entries(config).map(async ([key, value]) => [
    key,
    typeof value === 'string' ? await parseConfigValue(value) : value,
  ]);
  return Object.fromEntries(await Promise.all(parsed));
}

function pick<Given extends object, Name extends keyof Given>(
  given: Given,
  names: readonly Name[],
): Partial<Pick<Given, Name>> {
  const present = names.filter((name) => given[name] !== undefined).map((name) => [name, given[name]]);
  return Object.fromEntries(present);
}
