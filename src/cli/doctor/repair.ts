import { messageOf } from '../../base/errors.ts';
import type { Finding, Section } from './finding.ts';

/** Makes the safe fixes of a section. A fixed finding becomes `ok` and tells what was done. */
export async function repairSection(section: Section): Promise<Section> {
  const findings: Finding[] = [];
  // One after another, because two fixes may change the same file.
  for (const finding of section.findings) findings.push(await repair(finding));
  return { ...section, findings };
}

async function repair(finding: Finding): Promise<Finding> {
  if (finding.repair === undefined) return finding;
  const { fix: _, code: __, repair: run, ...described } = finding;
  try {
    return { ...described, state: 'ok', detail: [`Fixed: ${await run()}`], isFixed: true };
  } catch (error) {
    return { ...finding, detail: [...(finding.detail ?? []), `Could not be fixed: ${messageOf(error)}`] };
  }
}
