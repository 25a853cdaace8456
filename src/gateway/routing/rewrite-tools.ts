import { readDefinitionList } from '../../schema/definitions/definition-list.ts';
import { applyProfile } from '../../schema/profiles/apply-profile.ts';
import type { Profile } from '../../schema/profiles/profile.ts';
import { type Frame, frameBytes } from '../../wire/frame.ts';
import { rawMember, scanMembers } from '../../wire/json/scan.ts';
import { RawJson, resultText } from '../../wire/messages.ts';

/**
 * Rewrites a server's `tools/list` response for the client's profile. Drops everything that would make the client
 * reject the whole list: invalid tools, and invalid members beside the list. Returns undefined if the response contains
 * no list.
 */
export function rewriteTools(frame: Frame, idText: string, profile: Profile): string | undefined {
  const result = Buffer.from(rawMember(frameBytes(frame), 'result') ?? '');
  const tools = rawMember(result, 'tools');
  if (tools?.startsWith('[') !== true) return undefined;
  const { items } = readDefinitionList('tools', [Buffer.from(tools)]);
  const written = items.map((definition) => applyProfile(profile, definition).definition.json);
  const members = [
    `"tools":[${written.join(',')}]`,
    ...memberStartingWith(result, 'nextCursor', '"'),
    ...memberStartingWith(result, '_meta', '{'),
  ];
  return resultText(idText, new RawJson(`{${members.join(',')}}`));
}

/**
 * Returns the last member of this name if its value starts with the expected character. All other members beside the
 * list have no meaning.
 */
function memberStartingWith(result: Buffer, name: string, firstCharacter: string): string[] {
  const value = scanMembers(result)?.findLast(({ key }) => key === name);
  const text = value && result.toString('utf8', value.start, value.end);
  return text?.startsWith(firstCharacter) === true ? [`"${name}":${text}`] : [];
}
