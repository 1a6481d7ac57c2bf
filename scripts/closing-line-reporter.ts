import type { Reporter, TestModule } from 'vitest/node';

/**
 * Names the tests that passed only at the second try, and why the first one failed, so that they are not taken for
 * sound. Then prints `N passed, N failed` alone on the last line, which continuous integration reads.
 */
export default class ClosingLineReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    let passed = 0;
    let failed = 0;
    for (const module of modules) {
      if (module.state() === 'failed' && module.children.size === 0) failed += 1;
      for (const test of module.children.allTests()) {
        const { state, errors } = test.result();
        if (state === 'passed') passed += 1;
        if (test.diagnostic()?.flaky === true) {
          console.log(`passed at the second try: ${test.fullName}`);
          // Otherwise why it failed is told nowhere, and the next one who meets it begins from nothing.
          for (const { stack, message, diff } of errors ?? []) console.log(stack ?? message, diff ?? '');
        }
        if (state === 'failed') failed += 1;
      }
    }
    console.log(`\n${passed} passed, ${failed} failed`);
  }
}
