import { AppError, isAppError, messageOf } from '../../base/errors.ts';
import { omitUndefined } from '../../base/omit-undefined.ts';
import type { SessionSettings, TurnSettings } from '../engine.ts';
import type { SettingsOrigin } from '../limits/turn-permissions.ts';
import type { ServerContext } from '../server-context.ts';
import type { Session } from '../sessions/session.ts';
import { checkSettings, type StartArguments, settingsOrigin } from './start-settings.ts';

export interface RestoredSettings {
  /** Empty for a session that is already open in this server. */
  readonly settings: SessionSettings;
  readonly origin: SettingsOrigin;
}

/**
 * Returns the settings with which an earlier run started a session, checked against the current limits as for a new
 * session. Throws if they are no longer allowed, so that no session resumes with more or less than it had.
 */
export async function restoreSettings(sessionId: string, serverContext: ServerContext): Promise<RestoredSettings> {
  const { sessions, savedSettings } = serverContext;
  const open = sessions.registry.find(sessionId);
  // A message may be queued behind a first turn that is then denied, so the same check must apply to it.
  if (open !== undefined) return { settings: {}, origin: open.settingsOrigin };
  const given = await savedSettings.read(sessionId);
  if (given === undefined) return NOTHING_SAVED;
  try {
    const { settings } = await checkSettings(given, serverContext);
    return { settings, origin: settingsOrigin(given) === 'caller' ? 'caller' : 'stored' };
  } catch (error) {
    if (!isAppError(error)) throw error;
    const reason = error.message.replace(/[^.]$/, '$&.');
    const text = `Session ${sessionId} was started with settings that are no longer valid. ${reason} Change that, or start a new session without them (codex_start).`;
    throw new AppError(error.code, text, { cause: error, data: { ...error.data, sessionId } });
  }
}

/** Stores the caller's settings. Returns a warning if that fails; the session continues. */
export function saveSettings(
  { id, opened }: Session,
  given: Omit<StartArguments, 'prompt'>,
  { cwd, addDirs, model, effort, approvalPolicy, sandbox }: SessionSettings,
  { savedSettings }: ServerContext,
): Promise<readonly string[]> {
  const { profile, config, compactPrompt, skipGitRepoCheck } = given;
  const chosen = { profile, config, compactPrompt, skipGitRepoCheck, workingDirectory: cwd, addDirs };
  return warnOnFailure(
    savedSettings.save(id, omitUndefined({ ...chosen, model, effort, approvalPolicy, sandbox }), opened),
  );
}

/** Stores settings that a turn changes. `session` may be a fork of the session that was named. */
export async function saveChanges(
  sessionId: string,
  session: Session,
  { model, effort, approvalPolicy, sandbox }: TurnSettings,
  { savedSettings }: ServerContext,
): Promise<void> {
  const changes = omitUndefined({ model, effort, approvalPolicy, sandbox });
  if (session.id === sessionId && Object.keys(changes).length === 0) return;
  // The session was allowed to start outside of a git repository, or was started inside one.
  const unsaved = omitUndefined({ workingDirectory: session.opened.cwd || undefined, skipGitRepoCheck: true });
  const saving = savedSettings.copy(sessionId, session.id, changes, unsaved);
  for (const warning of await warnOnFailure(saving)) session.warn(warning);
}

async function warnOnFailure(saving: Promise<void>): Promise<readonly string[]> {
  try {
    await saving;
    return [];
  } catch (error) {
    return [
      `The settings of this session could not be stored and will be lost when this server restarts. ${messageOf(error)}`,
    ];
  }
}

const NOTHING_SAVED: RestoredSettings = { settings: {}, origin: 'stored' };
