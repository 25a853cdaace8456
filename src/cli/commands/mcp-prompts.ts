import type { CommandContext } from '../main.ts';

export async function mcpPrompts(_args: readonly string[], _context: CommandContext): Promise<void> {}
