import testing from './testing.cjs';

export const { CallResult, Client, PromptMessages, ReadResult, Subscription } = testing;
