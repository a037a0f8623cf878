# SPDX-FileCopyrightText: 2026 The PrismLLM authors
# SPDX-License-Identifier: Apache-2.0
# Install layout and the CMake package (find_package(PrismLLM)).
