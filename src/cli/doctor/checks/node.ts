import { escapeInvisible } from '../../../base/text/visible-text.ts';
import type { Finding, Section } from '../finding.ts';

/** Checks the version of Node that runs this command. */
export function checkNode(version = process.versions.node, path = process.execPath): Section {
  const finding: Finding = isSupported(version)
    ? { check: 'node.version', title: `Node ${version} is supported`, state: 'ok' }
    : {
        check: 'node.version',
        title: `Node ${version} is not supported`,
        state: 'failure',
        code: 'USAGE',
        advice: 'Install Node 22 or 24 from https://nodejs.org.',
      };
  return { name: 'Node', summary: `${version} (${escapeInvisible(path)})`, findings: [finding] };
}

/** The same versions as in package.json and in the launcher. */
function isSupported(version: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  return major > 22 || (major === 22 && minor >= 3) || (major === 20 && minor >= 19);
}
