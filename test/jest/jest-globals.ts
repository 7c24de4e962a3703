/** What tests import from `@jest/globals`: Jest's own parts, in this process instead of in a realm for each test file. */
import { jestExpect } from '@jest/expect';
import { ModernFakeTimers } from '@jest/fake-timers';
import type { Config } from '@jest/types';
import { getState } from 'jest-circus';
import { ModuleMocker } from 'jest-mock';

export { afterAll, afterEach, beforeAll, beforeEach, describe, it, test } from 'jest-circus';
export { jestExpect as expect };

type TimersSettings = ConstructorParameters<typeof ModernFakeTimers>[0];

const mocker = new ModuleMocker(globalThis);
const timers = new ModernFakeTimers({ global: globalThis, config: {} as TimersSettings['config'] });

export const jest = {
  fn: mocker.fn.bind(mocker),
  spyOn: mocker.spyOn.bind(mocker),
  restoreAllMocks: () => {
    mocker.restoreAllMocks();
  },
  setTimeout: (milliseconds: number) => {
    getState().testTimeout = milliseconds;
  },
  useFakeTimers: (settings: Config.FakeTimersConfig = {}) => {
    // Node.js itself uses these here, where tests have no realm of their own.
    timers.useFakeTimers({ ...settings, doNotFake: ['nextTick', 'queueMicrotask', ...(settings.doNotFake ?? [])] });
  },
  useRealTimers: timers.useRealTimers.bind(timers),
  getTimerCount: timers.getTimerCount.bind(timers),
  advanceTimersByTime: timers.advanceTimersByTime.bind(timers),
  advanceTimersByTimeAsync: timers.advanceTimersByTimeAsync.bind(timers),
};

const environment = { ...process.env };

/** Undoes what a test file may leave behind; Jest gives each file a realm of its own instead. */
export function resetGlobals(): void {
  jest.useRealTimers();
  jest.restoreAllMocks();
  for (const name of Object.keys(process.env)) if (!(name in environment)) Reflect.deleteProperty(process.env, name);
  Object.assign(process.env, environment);
}
