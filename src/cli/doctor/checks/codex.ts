import { APP_SERVER_MINOR, engineFor } from '../../../codex/engines/engine-versions.ts';
import type { CodexFacts } from '../../../codex/engines/inspect-codex.ts';
import { loginCommand } from '../../../codex/engines/sign-in.ts';
import { chooseProfile } from '../../../schema/profiles/registry.ts';
import type { CheckContext } from '../check-context.ts';
import type { Finding, Section } from '../finding.ts';

/** Checks the installed Codex: what works with its version, and whether it is signed in. Starts no session. */
export async function checkCodex({ inspectCodex, environment }: CheckContext): Promise<Section> {
  const facts = await inspectCodex();
  if (facts.kind === 'missing') return { name: 'Codex', summary: 'not installed', findings: [missing(facts)] };
  const { version, isSignedOut } = facts;
  const findings = [versionFinding(facts), signInFinding(isSignedOut, environment.env)];
  const engine = version === undefined ? undefined : engineFor(version);
  const works = engine === 'app-server' ? ': sessions, approvals and steering work' : '';
  return { name: 'Codex', summary: `${version?.text ?? 'unknown version'}${works}`, findings };
}

/** Most users need no Codex: servers work in every client. */
function missing({ reason }: Extract<CodexFacts, { kind: 'missing' }>): Finding {
  return {
    check: 'codex.installed',
    title: 'switchboard codex needs Codex',
    state: 'note',
    detail: [reason],
    fix: 'npm install -g @openai/codex',
  };
}

function versionFinding({ version, where }: Extract<CodexFacts, { kind: 'found' }>): Finding {
  const check = 'codex.version';
  if (version === undefined) {
    const advice = 'Check that CODEX_CLI_PATH, or codex on PATH, points to Codex.';
    return { check, title: 'Codex reports no version', state: 'warning', advice };
  }
  switch (engineFor(version)) {
    case 'app-server':
      return {
        check,
        title: `Codex ${version.text} at ${where}`,
        state: 'ok',
        detail: [`${schemaText(version.text)}.`],
      };
    case 'exec':
      return {
        check,
        title: `Codex ${version.text} cannot ask for approval: switchboard codex needs 0.${APP_SERVER_MINOR} for that`,
        state: 'warning',
        detail: ['Sessions run with codex exec instead.', `${schemaText(version.text)}.`],
        fix: UPDATE,
      };
    case undefined:
      return { check, title: `Codex ${version.text} is too old for switchboard codex`, state: 'warning', fix: UPDATE };
  }
}

const UPDATE = 'npm install -g @openai/codex@latest';

function schemaText(version: string): string {
  return `Tool schemas are adapted with the profile ${chooseProfile({ name: 'codex', version })}`;
}

function signInFinding(isSignedOut: boolean, env: CheckContext['environment']['env']): Finding {
  const check = 'codex.sign-in';
  if (!isSignedOut) return { check, title: 'Signed in, or no sign-in needed', state: 'ok' };
  return { check, title: 'Codex is not signed in, so its sessions fail', state: 'warning', fix: loginCommand(env) };
}
