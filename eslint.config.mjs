import { lintConfig } from './.ci/lint/config.mjs';

export default lintConfig();
