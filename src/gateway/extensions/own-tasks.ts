import { findMemberValues, readElements } from '../../wire/json/json-text.ts';
import { outgoingText } from '../../wire/json/splice.ts';
import { isObject, RawJson, resultText } from '../../wire/messages.ts';
import type { ResponseHooks } from '../routing/forwarded-request.ts';

/** Removes the tasks of other clients from the result of `tasks/list`. */
export function ownTasksOnly(isOwn: (taskId: string) => boolean): Pick<ResponseHooks, 'rewrite'> {
  return {
    rewrite({ withId }, idText) {
      const text = outgoingText(withId(idText));
      const result = lastValue(text, 'result');
      const tasks = result && lastValue(result, 'tasks');
      if (tasks?.startsWith('[') !== true) return undefined;
      const own = readElements(tasks)
        .map(({ start, end }) => tasks.slice(start, end))
        .filter((json) => {
          const task: unknown = JSON.parse(json);
          return isObject(task) && isOwn(String(task['taskId']));
        });
      const cursor = result && lastValue(result, 'nextCursor');
      const members = [`"tasks":[${own.join(',')}]`, ...(cursor === undefined ? [] : [`"nextCursor":${cursor}`])];
      return resultText(idText, new RawJson(`{${members.join(',')}}`));
    },
  };
}

function lastValue(json: string, name: string): string | undefined {
  const span = findMemberValues(json, name).at(-1);
  return span && json.slice(span.start, span.end);
}
