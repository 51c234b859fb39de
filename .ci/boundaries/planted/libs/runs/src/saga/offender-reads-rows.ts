import '../projection/index.js';
