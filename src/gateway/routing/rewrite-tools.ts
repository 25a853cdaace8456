import { readDefinitionList } from '../../schema/definitions/definition-list.ts';
import { applyProfile } from '../../schema/profiles/apply-profile.ts';
import type { Profile } from '../../schema/profiles/profile.ts';
import { type Frame, frameBytes } from '../../wire/frame.ts';
import { rawMember, scanMembers } from '../../wire/json/scan.ts';
import { RawJson, resultText } from '../../wire/messages.ts';

/**
 * The answer of a server to `tools/list`, with each tool as the client's profile wants it, and without what would cost
 * the client all of them: tools that are none, and members beside the list that are not what they should be. Undefined
 * when the answer holds no list.
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

/** The last member of this name, when it begins as it should. Nothing else beside the list means anything to anybody. */
function memberStartingWith(result: Buffer, name: string, firstCharacter: string): string[] {
  const value = scanMembers(result)?.findLast(({ key }) => key === name);
  const text = value && result.toString('utf8', value.start, value.end);
  return text?.startsWith(firstCharacter) === true ? [`"${name}":${text}`] : [];
}
