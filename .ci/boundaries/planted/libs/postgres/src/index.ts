import 'pg';
import 'typeorm';
