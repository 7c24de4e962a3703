import { defineConfig, globalIgnores } from 'eslint/config';
import tseslint from 'typescript-eslint';

export default defineConfig(
  globalIgnores(['coverage/', 'data/', 'dist/', 'generated/', 'reports/']),
  // These exist, and their imports resolve, only after other people's generators have run, which compiles them too.
  globalIgnores(['test/generators/callers/', 'test/generators/out/']),
  // The imports of the first two resolve only when the bench's own packages are installed; `tsc -p bench` checks them.
  globalIgnores(['bench/servers/', 'bench/load/client.ts', 'bench/out/']),
  // These resolve only when Stryker is installed, as `npm run mutation` does; `tsc -p test/mutation` checks them.
  globalIgnores(['test/mutation/stryker/']),
  tseslint.configs.strictTypeChecked,
  {
    languageOptions: {
      parserOptions: {
        projectService: { allowDefaultProject: ['*.js', 'test/mutation/*.js', 'test/support/*.js'] },
        tsconfigRootDir: import.meta.dirname,
      },
    },
    rules: {
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true }],
      '@typescript-eslint/consistent-type-imports': 'error',
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_' }],
      // Express's request is an interface over IncomingMessage, which this rule takes for a foreign value.
      '@typescript-eslint/no-unsafe-class-instance-assignment': 'off',
    },
  },
  {
    // Each is handed to others as it is, so it is JavaScript and needs nothing of this project.
    files: ['bench/upstream/**/*.mjs'],
    extends: [tseslint.configs.disableTypeChecked],
  },
);
