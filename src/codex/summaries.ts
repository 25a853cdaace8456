import { oneLine } from '../base/text.ts';
import type { FileChange, PlanStep } from './words.ts';

/** How an item is told in one line, whichever engine tells it. */

const MAX_SUMMARY = 200;

export function summarize(text: string): string {
  return oneLine(text, MAX_SUMMARY);
}

export function summarizeFiles(files: readonly FileChange[]): string {
  return summarize(files.map(({ path }) => path).join(', '));
}

export function summarizeTool(server: string, tool: string): string {
  return summarize(server === '' ? tool : `${server}/${tool}`);
}

export function summarizePlan(plan: readonly PlanStep[]): string {
  const done = plan.filter(({ status }) => status === 'completed').length;
  const now = plan.find(({ status }) => status === 'in_progress') ?? plan.find(({ status }) => status === 'pending');
  return summarize(`${done} of ${plan.length} done${now === undefined ? '' : `; now: ${now.step}`}`);
}
