import '../../../event-store/src/index.js';
