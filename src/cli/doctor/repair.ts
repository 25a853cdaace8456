import { messageOf } from '../../base/errors.ts';
import type { Finding, Section } from './finding.ts';

/** Makes the safe fixes of a section. A fixed finding becomes `ok`, and its title says what was done. */
export async function repairSection(section: Section): Promise<Section> {
  const findings: Finding[] = [];
  // One after another, because two fixes may change the same file.
  for (const finding of section.findings) findings.push(await repair(finding));
  const fixed = findings.filter(({ isFixed }) => isFixed === true).length;
  const isResolved = fixed > 0 && findings.every(({ state }) => state === 'ok' || state === 'note');
  // The summary was written before the fixes.
  return { ...section, findings, ...(isResolved ? { summary: `${fixed} fixed` } : {}) };
}

async function repair(finding: Finding): Promise<Finding> {
  if (finding.repair === undefined) return finding;
  const { check, title, repair: run } = finding;
  try {
    return { check, title: `Fixed: ${await run()}`, state: 'ok', detail: [title], isFixed: true };
  } catch (error) {
    return { ...finding, detail: [...(finding.detail ?? []), `Could not be fixed: ${messageOf(error)}`] };
  }
}
