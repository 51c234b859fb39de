import '../../commands/src/main.js';
