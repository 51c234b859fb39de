import '../../../../services/commands/src/main.js';
