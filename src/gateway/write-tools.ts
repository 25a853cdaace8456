import { readList } from '../schema/list.ts';
import { applyProfile } from '../schema/profiles/apply.ts';
import type { Profile } from '../schema/profiles/profile.ts';
import { type Frame, frameBytes } from '../wire/frame.ts';
import { rawMember } from '../wire/scan.ts';
import { type Outgoing, spliceMembers } from '../wire/splice.ts';

/**
 * The answer of a server to `tools/list`, with each tool as the client's profile wants it, and without those that would
 * cost the client all others. Every other byte stays. Undefined when the answer holds no list.
 */
export function writeTools(frame: Frame, idText: string, profile: Profile): Outgoing | undefined {
  const result = rawMember(frameBytes(frame), 'result');
  const tools = result === undefined ? undefined : rawMember(Buffer.from(result), 'tools');
  if (tools?.startsWith('[') !== true) return undefined;
  const { items } = readList('tools', [Buffer.from(tools)]);
  const written = items.map((definition) => applyProfile(profile, definition).definition.json);
  return spliceMembers(frame, [
    { path: ['id'], text: idText },
    { path: ['result', 'tools'], text: `[${written.join(',')}]` },
  ]);
}
